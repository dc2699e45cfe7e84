use super::{Files, channel, parse, title_as_spoken};

/// A few lines in the form of the real files, with invented people.
fn files() -> Files {
    Files {
        items: "item_id:token\tmovie_title:token_seq\trelease_year:token\tclass:token_seq\n\
                127\tGodfather, The\t1972\tAction Crime Drama\n\
                267\tunkonwn\tunkonwn\tunknown\n\
                1\tToy Story\t1995\tAnimation Children's Comedy\n"
            .to_owned(),
        users: "user_id:token\tage:token\tgender:token\toccupation:token\tzip_code:token\n\
                5\t33\tF\tother\t15213\n\
                2\t53\tM\twriter\tE2A4H\n"
            .to_owned(),
        ratings: "user_id:token\titem_id:token\trating:float\ttimestamp:float\n\
                  2\t127\t5\t875961000\n\
                  5\t1\t3\t875961060\n"
            .to_owned(),
    }
}

#[test]
fn the_files_are_read() {
    let data = parse(&files()).unwrap();
    let titles: Vec<&str> = data.items.iter().map(|item| item.title.as_str()).collect();
    assert_eq!(titles, ["The Godfather", "Unknown", "Toy Story"]);
    assert_eq!((data.items[0].id, data.items[0].year), (127, Some(1972)));
    assert_eq!(data.items[2].genres, ["Animation", "Children's", "Comedy"]);
    assert_eq!((data.items[1].year, data.items[1].genres.len()), (None, 0));
    assert_eq!(data.creators[data.items[0].creator].name, "Crime · 1970s");
    assert_eq!(data.creators[data.items[1].creator].id, "other");
    assert_eq!(data.users[1].zip.as_deref(), Some("E2A4H"));
    let first = data.ratings[0];
    assert_eq!((first.user, first.item, first.stars, first.at), (1, 0, 5, 875_961_000));
}

#[test]
fn what_is_wrong_is_named_with_file_and_line() {
    let wrong = |change: fn(&mut Files)| {
        let mut files = files();
        change(&mut files);
        parse(&files).expect_err("must be refused")
    };
    assert_eq!(
        wrong(|files| files.ratings.push_str("2\t99\t5\t875961000\n")),
        "ml-100k.inter, line 4: there is no item \"99\""
    );
    assert_eq!(
        wrong(|files| files.ratings.push_str("2\t1\t6\t875961000\n")),
        "ml-100k.inter, line 4: the rating is \"6\", not a whole number from 1 to 5"
    );
    assert_eq!(
        wrong(|files| files.users.push_str("3\t20\n")),
        "ml-100k.user, line 4: expected 5 columns, found 2"
    );
    assert!(wrong(|files| files.items.clear()).starts_with("ml-100k.item, line 1: expected the heading"));
    assert_eq!(
        wrong(|files| files.users = files.users.replace("33", "old")),
        "ml-100k.user, line 2: the age is \"old\", not a number"
    );
}

#[test]
fn an_article_comes_first() {
    assert_eq!(title_as_spoken("Godfather: Part II, The"), "The Godfather: Part II");
    assert_eq!(title_as_spoken("Bad Company, L'"), "L'Bad Company");
    assert_eq!(title_as_spoken("Good, the Bad and the Ugly, The"), "The Good, the Bad and the Ugly");
    assert_eq!(title_as_spoken("Eat Drink, Man"), "Eat Drink, Man");
}

#[test]
fn a_channel_is_the_most_telling_genre_and_the_decade() {
    let genres = |names: &str| names.split(' ').map(str::to_owned).collect::<Vec<String>>();
    assert_eq!(channel(&genres("Action Drama War"), Some(1998)), "War · 1990s");
    assert_eq!(channel(&genres("Drama"), Some(1930)), "Drama · 1930s");
    assert_eq!(channel(&[], None), "Other");
}
